import type { Reader, Tx } from '../../infra/database/index.ts'
import { factNamed, forgetFact, recordFact } from './store.ts'

/** In a database that is to be that of a primary: the backup from which it was filled. */
const begunName = 'promotion'
/** In the database of a secondary: when its repositories and objects became those of a primary. */
const promotedName = 'promoted'

/** Notes that a database was filled from a backup, and that its repositories are not in their places yet. */
export async function beginPromotion(tx: Tx, backupId: string): Promise<void> {
  await forgetFact(tx, begunName)
  await recordFact(tx, { name: begunName, value: backupId })
}

/** The backup from which a database was filled for a promotion that has not ended; null when there is none. */
export const begunPromotion = (db: Reader): Promise<string | null> => factNamed(db, begunName)

export const endPromotion = (tx: Tx): Promise<boolean> => forgetFact(tx, begunName)

/** Notes in the database of a secondary that its repositories and objects belong to a primary from now on. */
export async function recordPromoted(tx: Tx, at: string): Promise<void> {
  await recordFact(tx, { name: promotedName, value: at })
}

/** Why no server may start on a database, because of a promotion; null when nothing hinders it. */
export async function promotionProblem(db: Reader): Promise<string | null> {
  if ((await begunPromotion(db)) !== null) {
    return 'a promotion with this database was begun and has not ended: run fennec promote again'
  }
  const at = await factNamed(db, promotedName)
  if (at === null) return null
  return (
    `this secondary was promoted at ${at}: start the server without FENNEC_GEO_ROLE, and with the database of the primary in ` +
    'FENNEC_DATABASE_URL. Where fennec promote was interrupted, run it again'
  )
}
