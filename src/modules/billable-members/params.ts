import { type ParamValues, t } from '../../api/index.ts'
import { sorts } from './store.ts'

export const billableFilter = {
  search: t.string({ description: 'Part of the name, the user name or the public e-mail address.' }),
  sort: t.oneOf(sorts, { description: 'Default: by id, ascending.' }),
}
export type BillableFilter = ParamValues<typeof billableFilter>

export const userInPath = { user_id: t.id() }
