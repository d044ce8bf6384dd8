import { sql } from 'kysely'
import { acquireLock, type Reader, type Tx, within } from '../../../infra/database/index.ts'
import { subtreeOf } from '../../namespaces/index.ts'
import type { LabelRow } from '../tables.ts'

/** Makes promotions in a group wait for each other: each may delete the label that the other promotes. */
export async function lockPromotions(tx: Tx, groupId: number): Promise<void> {
  await acquireLock(tx, `labels.promote:${groupId}`)
}

/** The labels with a title of the projects at any depth below a group, without one of them. */
export async function sameTitledBelow(db: Reader, groupId: number, { id, title }: LabelRow): Promise<number[]> {
  const projects = sql<boolean>`labels.project_id in (select projects.id from projects
    where projects.namespace_id in ${subtreeOf(groupId)})`
  const query = db.selectFrom('labels').select('id').where('title', '=', title).where('id', '<>', id).where(projects)
  return (await query.orderBy('id').execute()).map((row) => row.id)
}

/** Gives the priorities and subscriptions of labels to one that replaces them; what that has already is not changed. */
export async function moveTo(tx: Tx, intoId: number, labelIds: readonly number[]): Promise<void> {
  const into = sql<number>`cast(${intoId} as bigint)`
  await tx
    .insertInto('label_priorities')
    .columns(['project_id', 'label_id', 'priority'])
    .expression((eb) =>
      eb
        .selectFrom('label_priorities')
        .select(['project_id', into.as('label_id'), (one) => one.fn.min('priority').as('priority')])
        .where(within(tx, 'label_id', labelIds))
        .groupBy('project_id'),
    )
    .onConflict((conflict) => conflict.columns(['project_id', 'label_id']).doNothing())
    .execute()
  await tx
    .insertInto('label_subscriptions')
    .columns(['label_id', 'user_id', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('label_subscriptions')
        .select([into.as('label_id'), 'user_id', (one) => one.fn.min('created_at').as('created_at')])
        .where(within(tx, 'label_id', labelIds))
        .groupBy('user_id'),
    )
    .onConflict((conflict) => conflict.columns(['label_id', 'user_id']).doNothing())
    .execute()
}
