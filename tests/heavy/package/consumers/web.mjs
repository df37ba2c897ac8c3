import { formatPet } from "@petstore/petstore/store";

console.log(formatPet({ id: 1n, name: "Luna", categoryId: 9223372036854775807n, status: "sold" }));
