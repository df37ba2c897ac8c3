/** What the peers that validate with zod accept. */

import { z } from "zod";

const status = z.enum(["available", "pending", "sold"]);

export const PETS_QUERY = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  status: status.optional(),
  cursor: z.string().regex(/^[A-Za-z0-9]+$/).optional(),
});

export const NEW_PET_BODY = z.object({
  name: z.string().min(1).max(255),
  categoryId: z.number().int(),
  status: status.default("available"),
});

export const PET_PARAMETERS = z.object({ petId: z.coerce.number().int().positive() });
