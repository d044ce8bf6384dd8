import type { Reader, Tx } from '../../../infra/database/index.ts'
import * as memory from '../memory/store.ts'

/** How this server came to be the primary. */
export type Promotion = {
  /** The backup from which its database was filled; null when that was there. */
  backupId: string | null
  promotedAt: string
  former: FormerPrimary
}

/** The server in whose place this one was promoted, with the credentials that this one had there. */
export type FormerPrimary = {
  nodeId: number
  /** Its addresses, without a slash at the end. */
  addresses: string[]
  accessKey: string
  sealedSecret: string
  /** When it has learned that it is superseded; null until then. */
  toldAt: string | null
}

const promotionName = 'promotion'

/** The last promotion of a server to the primary; null when there was none. */
export const promotionIn = (db: Reader): Promise<Promotion | null> => memory.remembered<Promotion>(db, promotionName)

export const rememberPromotion = (tx: Tx, promotion: Promotion): Promise<void> =>
  memory.remember(tx, promotionName, promotion)
