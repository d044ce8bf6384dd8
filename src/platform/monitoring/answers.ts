import type { Siblings } from '../../infra/workers/index.ts'
import { joinExpositions } from './join-expositions.ts'
import { type Load, type LoadSample, sumLoads } from './load.ts'
import type { Metrics } from './metrics.ts'
import type { Failing, Monitored } from './monitored.ts'

const silent: Failing[] = [{ check: 'master', message: 'a process does not answer' }]

/** A server of one process. */
export function monitorProcess(metrics: Metrics, failing: Monitored['failing'], load: Load): Monitored {
  return { isAlive: async () => true, failing, metricsText: metrics.text, load: async () => load.samples() }
}

/**
 * A server of several processes. Whichever is asked answers for all: it is ready when each process is to which connections are
 * given, and alive when each of them answers.
 */
export function monitorSiblings(siblings: Siblings, own: Monitored): Monitored {
  siblings.answer('alive', own.isAlive)
  siblings.answer('failing', own.failing)
  siblings.answer('metrics', own.metricsText)
  siblings.answer('load', own.load)
  return {
    isAlive: async () => (await siblings.ask('alive')).every((alive) => alive === true),
    async failing() {
      const all = await siblings.ask('failing')
      if (all.length === 0) return [{ check: 'master', message: 'no process serves' }]
      const found = all.flatMap((failing) => (Array.isArray(failing) ? (failing as Failing[]) : silent))
      // What all of them share, such as the object store, is named once.
      return [...new Map(found.map((one) => [one.message, one])).values()]
    },
    async metricsText() {
      const texts = (await siblings.ask('metrics')).filter((text) => typeof text === 'string')
      return texts.length > 0 ? joinExpositions(texts) : own.metricsText()
    },
    async load() {
      const loads = await siblings.ask('load')
      return sumLoads(loads.filter((load) => Array.isArray(load)) as LoadSample[][])
    },
  }
}
