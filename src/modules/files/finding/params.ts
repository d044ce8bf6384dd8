import { type ParamValues, t } from '../../../api/index.ts'
import { optionalRef } from '../reading/params.ts'

/** Parameters of x.files_find. */
export const fileSearch = {
  ref: optionalRef,
  search: t.string({ description: 'Letters of the path, in their order and any case. Without it, all files.' }),
}
export type FileSearch = ParamValues<typeof fileSearch>
