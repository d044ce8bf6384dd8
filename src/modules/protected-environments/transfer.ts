import { rows } from '../../infra/database/index.ts'
import {
  type ExportedLine,
  type ExportedLines,
  type ImportedLine,
  type Importing,
  type ImportLine,
  integerOf,
  linesOf,
  requiredText,
  timesOf,
  userOf,
} from '../../platform/index.ts'
import { role } from '../access/index.ts'
import { lists } from './rules/entries.ts'
import { type Entry, entriesOf, entryRows, type Grantee, insertProtection } from './rules/store.ts'
import { protectedEnvironments } from './tables.ts'

type Times = { created_at: string; updated_at: string }

/** An entry as exports embed it. Entries have no times of their own; those of what they protect stand for them. */
const exportedEntry = (entry: Entry, { created_at, updated_at }: Times): ExportedLine => ({
  ...{ access_level: entry.access_level, user_id: entry.user_id, group_id: entry.group_id },
  ...{ group_inheritance_type: entry.group_inheritance_type, created_at, updated_at },
})

/** The protected environments of a project, with who may deploy and who has to approve (contract 14). */
export const exportedProtectedEnvironments: ExportedLines = async function* (_platform, db, { id: projectId }) {
  for await (const some of rows(protectedEnvironments).portions(db, { project_id: projectId }, 100)) {
    const entries = await entriesOf(
      db,
      some.map(({ id }) => id),
    )
    yield some.map(({ id, namespace_id: group_id, ...row }) => ({
      ...{ ...row, group_id },
      deploy_access_levels: entries(id).deploy.map((entry) => exportedEntry(entry, row)),
      approval_rules: entries(id).approval.map((rule) => ({
        ...exportedEntry(rule, row),
        required_approvals: rule.required_approvals,
      })),
    }))
  }
}

const levels: readonly number[] = [role.developer, role.maintainer, role.administrator]
const maintainers: Grantee = { access_level: role.maintainer, user_id: null, group_id: null }

/** Whom an entry names here: a role, or a user who was found. Groups are of the other server. */
function granteeOf(into: Importing, entry: ImportedLine): Grantee | null {
  const user_id = userOf(into, entry, 'user_id')
  if (user_id !== null) return { access_level: null, user_id, group_id: null }
  const level = levels.find((one) => one === entry.access_level)
  return level === undefined ? null : { ...maintainers, access_level: level }
}

/** Who may deploy. Where none is left, the Maintainers are in their place, so that neither everyone nor no one may. */
function deployersIn(into: Importing, line: ImportedLine): Grantee[] {
  const found = linesOf(line, 'deploy_access_levels').flatMap((entry) => granteeOf(into, entry) ?? [])
  return found.length === 0 ? [maintainers] : found.slice(0, lists.deploy.maximum)
}

/** Who has to approve: the Maintainers where one is not found, so that what was to be approved still is. @throws BadLine */
const approversIn = (into: Importing, line: ImportedLine) =>
  linesOf(line, 'approval_rules')
    .slice(0, lists.approval.maximum)
    .map((rule) => ({
      ...(granteeOf(into, rule) ?? maintainers),
      required_approvals: integerOf(rule, 'required_approvals', { least: 1, most: 5 }) ?? 1,
    }))

/** Imports a protected environment of a project (contract 14, protected_environments). */
export const importProtectedEnvironment: ImportLine = async (_platform, into, line) => {
  const row = { project_id: into.id, namespace_id: null, name: requiredText(line, 'name'), ...timesOf(line) }
  const deployers = deployersIn(into, line)
  const approvers = approversIn(into, line)
  return async (tx) => {
    const { id: protected_environment_id } = await insertProtection(tx, row)
    const shared = { protected_environment_id, group_inheritance_type: 0 }
    await entryRows.deploy.insertAll(
      tx,
      deployers.map((one) => ({ ...one, ...shared })),
    )
    await entryRows.approval.insertAll(
      tx,
      approvers.map((one) => ({ ...one, ...shared })),
    )
  }
}
