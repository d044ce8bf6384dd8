import { prepareQuery, type Reader, type Tx } from '../../infra/database/index.ts'

/** There is one plan, so there is one row. */
const planId = 1

const ofPlan = prepareQuery((db, { id }: { id: number }) =>
  db.selectFrom('plan_limits').select('changed').where('id', '=', id),
)

/** The limits that were changed. */
export async function changedLimits(db: Reader): Promise<Record<string, number>> {
  return (await ofPlan(db, { id: planId }))[0]?.changed ?? {}
}

/** @param changed JSON text */
export async function storeLimits(tx: Tx, changed: string, moment: string): Promise<void> {
  const columns = { changed, updated_at: moment }
  await tx
    .insertInto('plan_limits')
    .values({ id: planId, ...columns })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
    .execute()
}
