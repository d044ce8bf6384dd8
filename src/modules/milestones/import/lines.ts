import type { Tx } from '../../../infra/database/index.ts'
import {
  dateOf,
  type ImportedLine,
  type Importing,
  type ImportLine,
  integerOf,
  requiredText,
  textOf,
  timesOf,
  wordOf,
} from '../../../platform/index.ts'
import { type InternalIdScope, nextInternalId, reserveInternalId } from '../../../platform/internal-ids/index.ts'
import { insertMilestone, milestoneWithIid } from '../store/milestones.ts'
import { usableMilestonesTitled } from '../store/usable.ts'
import type { NewMilestoneRow } from '../tables.ts'

/** Under which a project or group numbers its milestones. */
const numbered = 'milestones'

const scopeOf = ({ kind, id }: Importing): InternalIdScope =>
  kind === 'project' ? { projectId: id } : { namespaceId: id }

/** A milestone without its number, and the number that the file says, if it is one of the project or group itself. */
type Read = { row: Omit<NewMilestoneRow, 'iid'>; iid: number | null }

/** @throws BadLine */
function readMilestone(into: Importing, line: ImportedLine): Read {
  const row = {
    project_id: into.kind === 'project' ? into.id : null,
    namespace_id: into.kind === 'group' ? into.id : null,
    title: requiredText(line, 'title').trim(),
    description: textOf(line, 'description'),
    state: wordOf(line, 'state', ['active', 'closed'], 'active'),
    ...{ start_date: dateOf(line, 'start_date'), due_date: dateOf(line, 'due_date') },
    ...timesOf(line),
  }
  const isOfGroup = typeof line.group_id === 'number'
  const isOwn = isOfGroup === (into.kind === 'group')
  return { row, iid: isOwn ? integerOf(line, 'iid', { least: 1, most: 2 ** 31 - 1 }) : null }
}

/** The number of the file where it is free, else the next one. */
async function numberOf(tx: Tx, into: Importing, wanted: number | null): Promise<number> {
  const scope = scopeOf(into)
  if (wanted === null || (await milestoneWithIid(tx, into, wanted))) return nextInternalId(tx, scope, numbered)
  await reserveInternalId(tx, scope, numbered, wanted)
  return wanted
}

/** Finds a milestone by its title, or stores it. */
async function ensure(tx: Tx, into: Importing, { row, iid }: Read): Promise<number> {
  const found = (await usableMilestonesTitled(tx, into, [row.title])).get(row.title)
  return found?.id ?? insertMilestone(tx, { ...row, iid: await numberOf(tx, into, iid) })
}

/** Imports a milestone of a project or group (contract 14, milestones). */
export const importMilestone: ImportLine = async (_platform, into, line) => {
  const milestone = readMilestone(into, line)
  return async (tx) => {
    await ensure(tx, into, milestone)
  }
}

/** Finds the milestone that a line embeds, or stores it. @returns its id @throws BadLine */
export function embeddedMilestone(tx: Tx, into: Importing, line: ImportedLine): Promise<number> {
  return ensure(tx, into, readMilestone(into, line))
}
