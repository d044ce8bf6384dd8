import { type ParamValues, t, takenIn } from '../../api/index.ts'
import { entriesParam } from '../protected-branches/index.ts'

const levels = [0, 30, 40]

export const newProtectedTag = {
  name: t.required(t.string({ description: 'A tag, or several by `*`.' })),
  create_access_level: t.integerOf(levels, { description: 'Default 40.' }),
  allowed_to_create: takenIn({ tier: 'premium' }, entriesParam(levels, { keys: true })),
}
export type NewProtectedTag = ParamValues<typeof newProtectedTag>
