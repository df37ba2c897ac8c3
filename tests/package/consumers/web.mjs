import { formatPet } from "@petstore/petstore";

console.log(formatPet({ id: 1n, name: "Luna", categoryId: 9223372036854775807n, status: "sold" }));
