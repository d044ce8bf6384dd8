import type { Tx } from '../../../infra/database/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'
import type { Train } from '../tables.ts'

/** The kind of the job that moves a train on (`train.ts`). */
export const trainKind = 'merge_trains.run'

export type TrainPayload = { projectId: number; targetBranch: string }

/** Has a train looked at after the transaction. The looks at one train follow one another. */
export async function runTrain(platform: Platform, tx: Tx, { project_id, target_branch }: Train): Promise<void> {
  const orderKey = `${trainKind}:${project_id}:${target_branch}`
  const payload = { projectId: project_id, targetBranch: target_branch }
  await enqueue(platform, tx, { kind: trainKind } as Job<TrainPayload>, payload, { orderKey })
}
