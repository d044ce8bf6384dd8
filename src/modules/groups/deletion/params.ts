import { type ParamValues, t } from '../../../api/index.ts'

export const groupDeletion = {
  permanently_remove: t.boolean({ description: 'Remove a marked subgroup at once' }),
  full_path: t.string({ description: 'Full path of the subgroup; needed to remove it at once' }),
}
export type GroupDeletion = ParamValues<typeof groupDeletion>
