const petstore = require("@petstore/petstore");
const sqlite = require("@petstore/petstore/sqlite");
const { exchange } = require("./exchange.mjs");

exchange(petstore, sqlite);
