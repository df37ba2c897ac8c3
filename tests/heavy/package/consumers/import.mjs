import * as petstore from "@petstore/petstore";
import * as sqlite from "@petstore/petstore/sqlite";
import { exchange } from "./exchange.mjs";

await exchange(petstore, sqlite);
