import type { IntegrationRow } from '../tables.ts'

/** The identifier of the first Prometheus integration of a project. */
export const firstPrometheus = 'legacy-prometheus'

/** The readable part of an address, which routing ignores (contract 07, AlertIntegration: Slug). */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')
  return slug || 'http-endpoint'
}

/** The address that monitoring tools call; for an external link, the address of the other product. */
export function integrationUrl(externalUrl: string, fullPath: string, row: IntegrationRow): string {
  if (row.type === 'external_link') return row.external_url ?? ''
  const project = `${externalUrl}/${fullPath}`
  if (row.endpoint_identifier === firstPrometheus) return `${project}/prometheus/alerts/notify.json`
  return `${project}/alerts/notify/${slugOf(row.name)}/${row.endpoint_identifier}.json`
}
