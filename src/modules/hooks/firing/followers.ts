import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { TriggerName } from '../triggers.ts'

/** Where something happens, as far as it is known before a payload is built. */
export type FollowedPlace = { projectId: number } | { repositoryId: number }

/** Something that happened in a project, as hooks are sent it. */
export type Happened = { trigger: TriggerName; projectId: number; payload: object }

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** Whether receivers that are no hooks may want an event of one of these kinds. */
    'hooks.is_followed'(db: Reader, names: readonly TriggerName[], place: FollowedPlace): Promise<boolean>
    /**
     * Sends an event to receivers that are no hooks, after the transaction.
     * @param stored stores the event, once, for those who want it; it gives the id
     */
    'hooks.follow'(tx: Tx, happened: Happened, stored: () => Promise<number>): Promise<void>
  }
}
