import { sql } from 'kysely'
import { isFound, type Reader } from '../../infra/database/index.ts'

/** The tables whose rows may have a member role. */
const assigning = ['members', 'group_links', 'invitations', 'ldap_group_links', 'saml_group_links'] as const

/** Whether a membership, an invitation or a link of groups has the role. */
export async function isAssigned(db: Reader, id: number): Promise<boolean> {
  const uses = assigning.map((table) => isFound(db, sql`${sql.table(table)} used where used.member_role_id = ${id}`))
  const query = sql<{ one: number }>`select 1 as one where ${sql.join(uses, sql` or `)}`
  return (await query.execute(db as never)).rows.length > 0
}
