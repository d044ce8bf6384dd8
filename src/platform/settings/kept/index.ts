import { mergeDefinitions } from '../setting.ts'
import { keptAccounts, keptSignIn } from './accounts.ts'
import { keptCi, keptRest, keptStorage } from './contents.ts'
import { keptLimits } from './limits.ts'
import { keptProducts, keptSearch } from './products.ts'

/**
 * Settings that clients read and write as a whole object and that have no effect here: they are stored, checked by type
 * and shown (contract 20, "Settings without effect"). One that gets an effect moves to `definitions.ts`.
 */
export const keptSettings = mergeDefinitions(
  keptLimits,
  keptSignIn,
  keptAccounts,
  keptCi,
  keptStorage,
  keptRest,
  keptSearch,
  keptProducts,
)
