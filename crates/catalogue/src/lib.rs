//! Published message types: FIX 4.3 market data, Ng's customer and product records
