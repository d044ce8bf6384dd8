import type { Service } from './server.ts'

/**
 * A service for a listener that serves only a part of what the server has: the paths below these, such as `/v2`.
 * @param services are asked in order, as they are when a request arrives
 */
export function onlyBelow(paths: readonly string[], services: readonly Service[]): Service {
  return {
    async handle(request, reply) {
      const path = request.url.split('?', 1)[0] ?? ''
      if (!paths.some((one) => path === one || path.startsWith(`${one}/`))) return false
      return anyOf(services).handle(request, reply)
    },
  }
}

/** The first of these services that knows the path. @param services are asked in order, as they are when a request arrives */
export function anyOf(services: readonly Service[]): Service {
  return {
    async handle(request, reply) {
      for (const service of services) {
        if (await service.handle(request, reply)) return true
      }
      return false
    },
  }
}
