// The same package from CommonJS. Compiled, not run.
import petstore = require("@petstore/petstore");
import contract = require("@petstore/petstore/store");
import sqlite = require("@petstore/petstore/sqlite");

const store: contract.PetStore = sqlite.createSqliteStore(":memory:");
const unavailable: Error = new contract.StoreUnavailableError();
const app: petstore.Petstore = petstore.createPetstore({ store, keys: ["pk_example"] });
const response: Promise<Response> = app.handle(new Request("http://localhost/v1/pets"));

// @ts-expect-error The response is a promise.
const status: number = response.status;

export = { status, unavailable };
