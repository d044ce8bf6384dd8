import { type Param, t } from '../../../api/index.ts'

/** A JSON object, or its text; the rule of the operation decides what is valid. */
export const jsonParam = (description: string): Param<unknown, false> => ({
  ...t.object({}, { description }),
  schema: { type: ['object', 'string'], description },
  read: (value: unknown) => value,
})
