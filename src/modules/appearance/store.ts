import { prepareQuery, type Reader, type Tx } from '../../infra/database/index.ts'
import { type ImageName, imageNames } from './params.ts'
import type { AppearanceChanges, AppearanceRow } from './tables.ts'

const onlyId = 1

const only = prepareQuery((db, { id }: { id: number }) => db.selectFrom('appearances').selectAll().where('id', '=', id))

/** The appearance, when it was ever changed. */
export async function storedAppearance(db: Reader): Promise<AppearanceRow | null> {
  return (await only(db, { id: onlyId }))[0] ?? null
}

/** Changes these columns. */
export async function storeAppearance(
  tx: Tx,
  changes: AppearanceChanges & { updated_at: string },
): Promise<AppearanceRow> {
  return tx
    .insertInto('appearances')
    .values({ id: onlyId, ...changes } as never)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changes as never))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The number of an image where images are stored: its place in the list. */
export const imageNumber = (name: ImageName): number => imageNames.indexOf(name) + 1

/** The images by their numbers, for checks and sweeps. */
export async function storedImages(db: Reader): Promise<{ id: number; avatar: string | null }[]> {
  const row = await storedAppearance(db)
  return imageNames.map((name) => ({ id: imageNumber(name), avatar: row?.[name] ?? null }))
}
