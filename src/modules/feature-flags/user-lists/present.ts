import { forms, type Static, Type } from '../../../api/index.ts'
import type { Project } from '../../projects/index.ts'
import type { UserListRow } from '../tables.ts'

/** A list of users for strategies (contract 24, UserList). */
export const UserList = Type.Object(
  {
    id: forms.id,
    iid: Type.Integer(),
    project_id: forms.id,
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
    name: Type.String(),
    user_xids: Type.String(),
    path: Type.String(),
    edit_path: Type.String(),
  },
  { title: 'FeatureFlagUserList' },
)

export function presentUserList({ full_path }: Project, row: UserListRow): Static<typeof UserList> {
  const path = `/${full_path}/-/feature_flags_user_lists/${row.iid}`
  return { ...row, path, edit_path: `${path}/edit` }
}
