import type { ExportedLine } from '../../../platform/index.ts'
import type { UserRow } from '../tables.ts'

/** A user to whom the files of an export refer (contract 14, `user_contributions`). */
export const exportedUser = ({ id, username, name, public_email }: UserRow): ExportedLine => ({
  ...{ id, username, name, public_email },
})
