import type { Siblings } from '../../infra/workers/index.ts'
import { joinExpositions } from './join-expositions.ts'
import type { Metrics } from './metrics.ts'

/** What the pages for monitoring show of a server. */
export type Monitored = {
  isAlive(): Promise<boolean>
  /** Whether an authorised call would work now. */
  isReady(): Promise<boolean>
  metricsText(): Promise<string>
}

/** A server of one process. */
export function monitorProcess(metrics: Metrics, isReady: () => Promise<boolean>): Monitored {
  return { isAlive: async () => true, isReady, metricsText: metrics.text }
}

/**
 * A server of several processes. Whichever is asked answers for all: it is ready when each process is to which connections are
 * given, and alive when each of them answers.
 */
export function monitorSiblings(siblings: Siblings, own: Monitored): Monitored {
  siblings.answer('alive', own.isAlive)
  siblings.answer('ready', own.isReady)
  siblings.answer('metrics', own.metricsText)
  return {
    isAlive: async () => (await siblings.ask('alive')).every((alive) => alive === true),
    async isReady() {
      const all = await siblings.ask('ready')
      return all.length > 0 && all.every((ready) => ready === true)
    },
    async metricsText() {
      const texts = (await siblings.ask('metrics')).filter((text) => typeof text === 'string')
      return texts.length > 0 ? joinExpositions(texts) : own.metricsText()
    },
  }
}
