import { unavailable } from '../../operation/errors.ts'
import type { Service } from './server.ts'

/** A start takes a second or two, unless a migration is running. */
const retryAfterSeconds = 5

/**
 * A service that answers every request with 503 while the server starts. Services before it, such as the monitoring pages,
 * answer as usual; services after it are reached once `isStarting` returns false.
 */
export function unavailableWhile(isStarting: () => boolean): Service {
  return {
    async handle() {
      if (isStarting()) throw unavailable(retryAfterSeconds)
      return false
    },
  }
}
