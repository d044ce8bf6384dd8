import type { Tx } from '../../../infra/database/index.ts'
import {
  authoredText,
  BadLine,
  booleanOf,
  dateOf,
  type ImportedLine,
  type Importing,
  type ImportLine,
  iidOf,
  lineOf,
  linesOf,
  type Platform,
  type Ports,
  requiredText,
  textOf,
  timeOf,
  timesOf,
  userOf,
  wordOf,
} from '../../../platform/index.ts'
import { reserveInternalId } from '../../../platform/internal-ids/index.ts'
import { importIssuableParts } from '../../issuables/index.ts'
import { parseColor } from '../../labels/index.ts'
import { readableEpics } from '../core/readable.ts'
import { epicAtOrAbove, epicByIid, epicsByIds, insertEpic, lineage, updateEpic } from '../core/store.ts'
import { assignIssue } from '../issues/store.ts'
import { linkTypes } from '../links/links.ts'
import { insertMissingLink } from '../links/store.ts'

/** Under which a group numbers its epics. */
const numbered = 'epics'
const defaultColor = '#1068bf'

/** Imports an epic of a group with what its line embeds, without its parent (contract 14, epics). */
export const importEpic: ImportLine = async (_platform, into, line) => {
  if (into.kind !== 'group') throw new BadLine('epics are in groups')
  const { authorId, text } = authoredText(into, line, textOf(line, 'description'))
  const state = wordOf(line, 'state', ['opened', 'closed'], 'opened')
  const row = {
    ...{ group_id: into.id, iid: iidOf(line), parent_id: null, author_id: authorId, imported_from: into.source },
    ...{ title: requiredText(line, 'title'), description: text, state, ...timesOf(line) },
    confidential: booleanOf(line, 'confidential', false),
    color: parseColor(textOf(line, 'color', 64) ?? defaultColor) ?? defaultColor,
    start_date_fixed: dateOf(line, 'start_date'),
    start_date_is_fixed: booleanOf(line, 'start_date_is_fixed', false),
    due_date_fixed: dateOf(line, 'due_date'),
    due_date_is_fixed: booleanOf(line, 'due_date_is_fixed', false),
    closed_at: state === 'closed' ? timeOf(line, 'closed_at') : null,
    closed_by_id: state === 'closed' ? userOf(into, line, 'closed_by_id') : null,
  }
  return async (tx) => {
    await reserveInternalId(tx, { namespaceId: into.id }, numbered, row.iid)
    const id = await insertEpic(tx, row)
    const target = { type: 'Epic' as const, id, projectId: null, groupId: into.id }
    await importIssuableParts(tx, into, target, line)
  }
}

/** How lines name an epic that they embed. @throws BadLine */
const namedEpic = (epic: ImportedLine) => ({ iid: iidOf(epic), title: requiredText(epic, 'title') })

/** The id of the epic of that name in the group or above that the importer can read; null when there is none. */
async function readableAtOrAbove(
  platform: Platform,
  tx: Tx,
  { namespaceId, importer }: Importing,
  wanted: ReturnType<typeof namedEpic>,
): Promise<number | null> {
  const id = await epicAtOrAbove(tx, namespaceId, wanted)
  const rows = id ? [...(await epicsByIds(tx, [id])).values()] : []
  const [found] = await readableEpics(platform, tx, rows, importer)
  return found?.id ?? null
}

/**
 * Gives an imported epic its parent, once all epics of the group are there: it may have come after it in the file. Epics of a file that
 * are above themselves have no parent.
 */
export const importEpicParent: ImportLine = async (_platform, into, line) => {
  const parent = lineOf(line, 'parent')
  const iid = iidOf(line)
  const wanted = parent && namedEpic(parent)
  return async (tx) => {
    const parentId = wanted && (await epicAtOrAbove(tx, into.id, wanted))
    const epic = parentId === null ? null : await epicByIid(tx, into.id, iid)
    if (!epic || parentId === null || (await lineage(tx, parentId)).includes(epic.id)) return
    await updateEpic(tx, epic.id, { parent_id: parentId })
  }
}

/**
 * Relates an imported epic to those that its line embeds, once all epics of the group are there. Links to epics of groups below come with
 * those epics.
 */
export const importEpicLinks: ImportLine = async (platform, into, line) => {
  const iid = iidOf(line)
  const links = linesOf(line, 'related_epics').map((link) => {
    const other = namedEpic(lineOf(link, 'epic') ?? {})
    return { other, type: wordOf(link, 'link_type', linkTypes, 'relates_to'), ...timesOf(link) }
  })
  return async (tx) => {
    const own = links.length === 0 ? null : await epicByIid(tx, into.id, iid)
    for (const { other, type, ...times } of links) {
      const otherId = own && (await readableAtOrAbove(platform, tx, into, other))
      if (!own || !otherId || otherId === own.id) continue
      const [source_id, target_id] = type === 'is_blocked_by' ? [otherId, own.id] : [own.id, otherId]
      await insertMissingLink(tx, {
        source_id,
        target_id,
        link_type: type === 'relates_to' ? type : 'blocks',
        ...times,
      })
    }
  }
}

/** Assigns an imported issue to the epic that its line embeds, where a group above has that one and the importer can read it. */
export const importEpicOfIssue: Ports['issues.import_epic'] = async (platform, tx, into, issueId, line) => {
  const epic = lineOf(line, 'epic')
  const id = epic && (await readableAtOrAbove(platform, tx, into, namedEpic(epic)))
  if (id) await assignIssue(tx, id, issueId)
}
