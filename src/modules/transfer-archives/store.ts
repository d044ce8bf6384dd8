import type { Reader } from '../../infra/database/index.ts'
import { subtreeOf } from '../namespaces/index.ts'

const tables = ['transfer_exports', 'transfer_imports'] as const

/** The secrets of the archives of a project: of its export, and of what is being imported into it. */
export async function secretsOfProject(db: Reader, projectId: number): Promise<string[]> {
  const found: string[] = []
  for (const table of tables) {
    const query = db.selectFrom(table as 'transfer_exports').select('secret')
    const rows = await query.where('project_id', '=', projectId).execute()
    found.push(...rows.flatMap(({ secret }) => secret ?? []))
  }
  return found
}

/** The secrets of the archives of a group and of those below it. */
export async function secretsOfGroups(db: Reader, groupId: number): Promise<string[]> {
  const found: string[] = []
  for (const table of tables) {
    const query = db
      .selectFrom(table as 'transfer_exports')
      .select('secret')
      .where('secret', 'is not', null)
    const rows = await query.where('namespace_id', 'in', subtreeOf(groupId)).execute()
    found.push(...rows.flatMap(({ secret }) => secret ?? []))
  }
  return found
}
