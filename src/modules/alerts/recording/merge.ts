import type { Occurrence } from '../payloads/occurrence.ts'
import type { OpenAlert } from './store.ts'

/** An occurrence of a delivery, in the order in which they are recorded. */
export type Received = { occurrence: Occurrence; integrationId: number }

/** What occurrences do to one alert. */
export type Change = {
  /** The stored alert; null for a new one, which `first` describes. */
  stored: OpenAlert | null
  first: Received
  /** Events to be counted; of a new alert the first is one of them. */
  events: number
  /** When it ended; null while it is open. */
  endedAt: string | null
}

const startOf = ({ stored, first }: Change) => stored?.started_at ?? first.occurrence.startedAt

/**
 * Whether a tool reports an earlier occurrence, which began and ended before the open alert began: its report is late, and does not
 * resolve that alert.
 */
function isOver({ format, startedAt, endedAt }: Occurrence, openSince: string): boolean {
  return format === 'monitoring' && endedAt !== null && startedAt < openSince && endedAt < openSince
}

/** The open alerts by fingerprint, stored ones and those of earlier occurrences. */
class OpenAlerts {
  readonly #exact = new Map<string, Change>()
  readonly #loose = new Map<string, Set<Change>>()

  add(change: Change, fingerprint: string | null, loose: string | null): void {
    if (fingerprint !== null) this.#exact.set(fingerprint, change)
    if (loose === null) return
    const alike = this.#loose.get(loose)
    if (alike) alike.add(change)
    else this.#loose.set(loose, new Set([change]))
  }

  remove(change: Change, fingerprint: string | null, loose: string | null): void {
    if (fingerprint !== null) this.#exact.delete(fingerprint)
    if (loose !== null) this.#loose.get(loose)?.delete(change)
  }

  /** The open alert of an occurrence (contract 2.23). */
  find(occurrence: Occurrence): Change | undefined {
    const named = this.#named(occurrence)
    return named && isOver(occurrence, startOf(named)) ? undefined : named
  }

  /** An item that resolves and has no own fingerprint resolves the only alert with its labels. */
  #named({ fingerprint, looseFingerprint, endedAt }: Occurrence): Change | undefined {
    const exact = fingerprint === null ? undefined : this.#exact.get(fingerprint)
    if (exact || endedAt === null || looseFingerprint === null || looseFingerprint !== fingerprint) return exact
    const [only, another] = this.#loose.get(looseFingerprint) ?? []
    return another ? undefined : only
  }
}

/**
 * Decides what occurrences of one project do, one after another (contract 07, Rules: Ingestion).
 * @param stored the open alerts with a fingerprint of one of them
 * @returns the changes in the order of the alerts' first occurrences, and the change of each occurrence
 */
export function mergeOccurrences(received: readonly Received[], stored: readonly OpenAlert[]) {
  const open = new OpenAlerts()
  const seen = new Map<number, Change>()
  for (const alert of stored) {
    if (seen.has(alert.id)) continue
    const change: Change = { stored: alert, first: received[0] as Received, events: 0, endedAt: null }
    seen.set(alert.id, change)
    open.add(change, alert.fingerprint, alert.loose_fingerprint)
  }
  const changes = new Set<Change>()
  const changeOf = received.map((one) => {
    const { occurrence } = one
    const { fingerprint, looseFingerprint, endedAt } = occurrence
    const found = open.find(occurrence)
    const change = found ?? { stored: null, first: one, events: 1, endedAt }
    changes.add(change)
    if (!found) {
      if (endedAt === null) open.add(change, fingerprint, looseFingerprint)
    } else if (endedAt === null) found.events += 1
    else {
      found.endedAt = endedAt
      const { stored: alert, first } = found
      const own = alert ?? {
        fingerprint: first.occurrence.fingerprint,
        loose_fingerprint: first.occurrence.looseFingerprint,
      }
      open.remove(found, own.fingerprint, own.loose_fingerprint)
    }
    return change
  })
  return { changes: [...changes], changeOf }
}
