// Behind the example: places orders as a user does, over a lost connection and a reload, and reports what came of them.
// Before the reload it places three, after it two more.
const phase = sessionStorage.getItem("phase") ?? "first";
const place = (text) => {
  $("text").value = text;
  $("order").requestSubmit();
};
const lines = () => [...$("log").children].map((line) => line.textContent);

/** Resolves once it holds. */
const until = (holds) =>
  new Promise((resolve) => {
    const looking = setInterval(() => {
      if (!holds()) return;
      clearInterval(looking);
      resolve();
    }, 20);
  });

async function drive() {
  await until(() => next !== null);
  if (phase === "first") {
    place("one");
    await until(() => open.length === 0 && lines().length === 1);
    // It is on its way, or is lost with the connection.
    place("two");
    router.close();
    await until(() => next !== null);
    place("three");
    await until(() => open.length === 0 && done.size === 3);
    sessionStorage.setItem("lines", JSON.stringify(lines()));
    sessionStorage.setItem("phase", "second");
    location.reload();
    return;
  }
  place("four");
  place("five");
  await until(() => open.length === 0 && done.size === 5);
  const result = {
    before: JSON.parse(sessionStorage.getItem("lines")),
    after: lines(),
    producer,
    last: next - 1,
    done: [...done],
  };
  await fetch("/result", { method: "POST", body: JSON.stringify(result) });
}

drive();
