import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, type Tx, within } from '../../infra/database/index.ts'
import { closedGates, type Gates } from './gates.ts'
import type { FeatureRow, FeatureTargetRow } from './tables.ts'

function gatesOf(row: FeatureRow, targets: readonly FeatureTargetRow[]): Gates {
  const valuesOf = (kind: FeatureTargetRow['kind']) =>
    targets.filter((one) => one.kind === kind).map(({ value }) => value)
  return {
    enabled: row.enabled,
    percentageOfActors: row.percentage_of_actors,
    percentageOfTime: row.percentage_of_time,
    actors: valuesOf('actor'),
    groups: valuesOf('group'),
  }
}

async function targetsOf(db: Reader, names: readonly string[]): Promise<FeatureTargetRow[]> {
  return db
    .selectFrom('feature_targets')
    .selectAll()
    .where(within(db, 'feature_name', names))
    .orderBy('id')
    .execute()
}

/** The gates of a feature; null when it was never set. */
export async function gatesNamed(db: Reader, name: string): Promise<Gates | null> {
  const row = await db.selectFrom('features').selectAll().where('name', '=', name).executeTakeFirst()
  return row ? gatesOf(row, await targetsOf(db, [name])) : null
}

/** A page of the features that were set, by name. */
export async function pageOfFeatures(db: Reader, page: PageRequest): Promise<Page<{ name: string; gates: Gates }>> {
  const found = await pageOfRows(db, db.selectFrom('features').selectAll().orderBy('name'), page)
  const targets = await targetsOf(
    db,
    found.items.map(({ name }) => name),
  )
  const byName = Map.groupBy(targets, ({ feature_name }) => feature_name)
  return {
    ...found,
    items: found.items.map((row) => ({ name: row.name, gates: gatesOf(row, byName.get(row.name) ?? []) })),
  }
}

/** Stores the gates of a feature, and makes it one that was set. */
export async function putGates(tx: Tx, name: string, gates: Gates, moment: string): Promise<void> {
  const before = (await gatesNamed(tx, name)) ?? closedGates
  const columns = {
    enabled: gates.enabled,
    percentage_of_actors: gates.percentageOfActors,
    percentage_of_time: gates.percentageOfTime,
    updated_at: moment,
  }
  await tx
    .insertInto('features')
    .values({ name, ...columns, created_at: moment })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(columns))
    .execute()
  for (const [kind, members] of [
    ['actor', 'actors'],
    ['group', 'groups'],
  ] as const) {
    const gone = before[members].filter((value) => !gates[members].includes(value))
    const fresh = gates[members].filter((value) => !before[members].includes(value))
    const ofKind = tx.deleteFrom('feature_targets').where('feature_name', '=', name).where('kind', '=', kind)
    if (gone.length > 0) await ofKind.where(within(tx, 'value', gone)).execute()
    const rows = fresh.map((value) => ({ feature_name: name, kind, value }))
    if (rows.length > 0) await tx.insertInto('feature_targets').values(rows).execute()
  }
}

/** @returns false when nothing was set */
export async function deleteFeature(tx: Tx, name: string): Promise<boolean> {
  return (await tx.deleteFrom('features').where('name', '=', name).executeTakeFirst()).numDeletedRows > 0n
}
