import type { Service } from '../../api/index.ts'
import type { Monitored } from './answers.ts'
import { metricsType } from './metrics.ts'

/** Serves the pages below `/-/` for monitoring (contract 20, "meta"). */
export function createMonitoring({ isAlive, isReady, metricsText }: Monitored): Service {
  const pages: Record<string, () => Promise<{ status: number; type: string; body: string }>> = {
    '/-/health': async () => ({ status: 200, type: 'text/plain', body: 'GitLab OK' }),
    '/-/liveness': async () => {
      const alive = await isAlive()
      const body = JSON.stringify({ status: alive ? 'ok' : 'failed' })
      return { status: alive ? 200 : 503, type: 'application/json', body }
    },
    '/-/readiness': async () => {
      const ready = await isReady().catch(() => false)
      const status = ready ? 'ok' : 'failed'
      const body = JSON.stringify({ status, master_check: [{ status }] })
      return { status: ready ? 200 : 503, type: 'application/json', body }
    },
    '/-/metrics': async () => ({ status: 200, type: metricsType, body: await metricsText() }),
  }
  return {
    async handle(request, reply) {
      const page = pages[request.url.split('?', 1)[0] ?? '']
      if (!page || (request.method !== 'GET' && request.method !== 'HEAD')) return false
      request.operationId = 'monitoring'
      const { status, type, body } = await page()
      reply.header('Cache-Control', 'no-cache').code(status).type(type).send(body)
      return true
    },
  }
}
