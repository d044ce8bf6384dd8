/** What an address of a delivery means. */
export type Address = {
  projectPath: string
  /** Null at the addresses of a whole project, where the key names the integration. */
  identifier: string | null
  /** Whether only the monitoring-tool format is accepted (contract 2.23). */
  monitoringOnly: boolean
}

const ending = '(?:\\.json)?/?$'
const ofMonitoring = new RegExp(`^/(.+)/prometheus/alerts/notify${ending}`)
const ofProject = new RegExp(`^/(.+)/alerts/notify${ending}`)
const ofIntegration = new RegExp(`^/(.+)/alerts/notify/[^/]+/([^/]+?)${ending}`)

/**
 * What a path may mean; none when it is no address of deliveries. Projects and groups may have the names of fixed parts of
 * these addresses, so there may be several meanings; the first one whose project exists is meant.
 */
export function addressesOf(path: string): Address[] {
  const found: Address[] = []
  const monitoring = ofMonitoring.exec(path)?.[1]
  if (monitoring) found.push({ projectPath: monitoring, identifier: null, monitoringOnly: true })
  const project = ofProject.exec(path)?.[1]
  if (project) found.push({ projectPath: project, identifier: null, monitoringOnly: false })
  const [, owner, identifier] = ofIntegration.exec(path) ?? []
  if (owner && identifier) found.push({ projectPath: owner, identifier, monitoringOnly: false })
  return found
}
