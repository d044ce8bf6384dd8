import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform, Reaction } from '../../../platform/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import { defaultColor } from '../colors/colors.ts'
import { parentColumns } from '../core/present.ts'
import { titleProblems } from '../core/validation.ts'
import type { LabelRow } from '../tables.ts'
import * as store from './store.ts'

/**
 * The labels with these titles that a project or group has or inherits; titles without a label get one in it (contract 16,
 * x.issue_create). Two callers may create the same labels at once. Titles are trimmed; those that no label can have are
 * left out.
 * @returns the labels by title, in the order of the titles
 */
export async function ensureLabels(
  { clock }: Pick<Platform, 'clock'>,
  tx: Tx,
  parent: ProjectOrGroupRef,
  titles: readonly string[],
): Promise<Map<string, LabelRow>> {
  const wanted = [...new Set(titles.map((title) => title.trim()))].filter((title) => titleProblems(title).length === 0)
  const found = await store.usableLabels(tx, parent, wanted)
  const missing = wanted.filter((title) => !found.has(title))
  if (missing.length > 0) {
    const moment = now(clock)
    const times = { created_at: moment, updated_at: moment }
    const rows = missing.map((title) => ({ ...parentColumns(parent), title, color: defaultColor, ...times }))
    await store.insertMissing(tx, rows)
    for (const [title, row] of await store.usableLabels(tx, parent, missing)) found.set(title, row)
  }
  return new Map(wanted.flatMap((title) => found.get(title) ?? []).map((row) => [row.title, row]))
}

/**
 * Gives a project labels of its own in place of labels that it no longer inherits, with their colour, description and
 * priority; a label of that title that it has or inherits is used instead (contract 17, "Rules", moved projects).
 * @param labelIds labels in use; those that the project has or inherits stay
 * @returns the ids of the new labels by those that they replace
 */
export async function replaceUnusableLabels(
  { clock }: Pick<Platform, 'clock'>,
  tx: Tx,
  project: ProjectOrGroupRef,
  labelIds: readonly number[],
): Promise<Map<number, number>> {
  const unusable = await store.unusableLabels(tx, project, labelIds)
  const titles = unusable.map(({ title }) => title)
  const found = await store.usableLabels(tx, project, titles)
  const moment = now(clock)
  const missing = unusable.filter(({ title }) => !found.has(title))
  const rows = missing.map(({ title, color, description }) => ({
    ...parentColumns(project),
    ...{ title, color, description, created_at: moment, updated_at: moment },
  }))
  await store.insertMissing(tx, rows)
  const usable = missing.length > 0 ? await store.usableLabels(tx, project, titles) : found
  const replaced = new Map(unusable.map(({ id, title }) => [id, usable.get(title)?.id ?? id]))
  await store.movePriorities(tx, project.id, replaced)
  return replaced
}

/** Deletes the priorities of labels that a moved project no longer inherits; `replaceUnusableLabels` moves others before. */
export const dropPrioritiesOfProject: Reaction<{ projectId: number }> = (_platform, tx, moved) =>
  store.deleteUnusablePriorities(tx, moved)

/** Like `dropPrioritiesOfProject`, for all projects below a moved group. */
export const dropPrioritiesBelow: Reaction<{ groupId: number }> = (_platform, tx, moved) =>
  store.deleteUnusablePriorities(tx, moved)
