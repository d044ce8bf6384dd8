import { addressOfPage } from '../../frame/addresses.ts'
import { alertIntegrationsCreate, alertIntegrationsList, alertIntegrationsTest, type ItemOf } from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Form } from '../../parts/form.tsx'
import { Copy, CopyBlock, Empty, Pages, Time } from '../../parts/parts.tsx'
import { at } from './places.ts'

type Integration = ItemOf<typeof alertIntegrationsList>

const kinds: Readonly<Record<string, string>> = { http: 'HTTP', prometheus: 'Prometheus', external_link: 'Link' }

/** The configuration of Alertmanager that sends its alerts to an integration. JSON texts are texts of YAML. */
const alertmanagerOf = ({ url, token }: Integration) => `route:
  receiver: fennec
  group_by: [alertname]
receivers:
  - name: fennec
    webhook_configs:
      - url: ${JSON.stringify(url)}
        send_resolved: true
        max_alerts: 0
        http_config:
          authorization: { type: Bearer, credentials: ${JSON.stringify(token)} }
`

const sampleOf = ({ payload_example: example, type }: Integration) => {
  const started = '2026-01-01T00:00:00Z'
  const items = [{ startsAt: started, labels: { alertname: 'Test', severity: 'info' }, annotations: {} }]
  const monitoring = {
    ...{ version: '4', groupKey: 'test', status: 'firing', receiver: 'fennec', groupLabels: {}, commonLabels: {} },
    ...{ commonAnnotations: {}, externalURL: '', alerts: items },
  }
  const plain = { title: 'Test', description: 'Sent from the page of the integration.', severity: 'info' }
  return JSON.stringify(example ?? (type === 'prometheus' ? monitoring : plain), null, 2)
}

function TestAlert({ visit, integration }: { visit: Visit; integration: Integration }) {
  const call = { id: visit.project.id, integration_id: integration.id }
  const { refused } = visit
  const isRefused = refused?.operation === alertIntegrationsTest.id
  const isOwn = isRefused && refused.values.integration_id === String(integration.id)
  // Each integration has this form: a refusal belongs to one of them.
  const shown = isRefused && !isOwn ? { ...visit, refused: null } : visit
  return (
    <details class="more" open={isOwn}>
      <summary>Send a test alert</summary>
      <Form visit={shown} performs={alertIntegrationsTest} call={call} then={at(visit)} class="stack">
        <div class="field">
          <label for={`payload-${integration.id}`}>Payload</label>
          <textarea class="text" id={`payload-${integration.id}`} name="payload" rows={8} spellcheck="false">
            {isOwn ? String(refused.values.payload) : sampleOf(integration)}
          </textarea>
          <small>A real alert is made of it.</small>
        </div>
        <button>Send the alert</button>
      </Form>
    </details>
  )
}

function One({ visit, integration, mayTest }: { visit: Visit; integration: Integration; mayTest: boolean }) {
  const { id, name, type, active, url, token, last_received_at: last } = integration
  return (
    <article class="release">
      <h2>
        <a href={addressOfPage(visit, 'project', `alert_management_integrations/${id}`)}>{name}</a>
      </h2>
      <p class="by">
        <span class="tagged">{kinds[type]}</span>
        {!active && <span class="tagged">off</span>}
        <span class="soft">{last ? ['Last alert ', <Time at={last} />] : 'No alert received yet'}</span>
      </p>
      <Copy text={url} label={`Address of ${name}`} />
      {token !== null && <Copy text={token} label={`Key of ${name}`} />}
      {active && token !== null && (
        <details class="more">
          <summary>Set up Prometheus Alertmanager</summary>
          <p>
            Put this into <code>alertmanager.yml</code>, and reload Alertmanager.
          </p>
          <CopyBlock text={alertmanagerOf(integration)} label="Configuration of Alertmanager" />
        </details>
      )}
      {mayTest && active && token !== null && <TestAlert visit={visit} integration={integration} />}
    </article>
  )
}

/** Where monitoring tools send alerts, and how they are set up. */
export const integrations = page({
  at: 'project',
  path: 'alert_management/integrations',
  performs: [alertIntegrationsTest],
  async show(visit) {
    const { id } = visit.project
    const [found, mayTest, mayCreate] = await Promise.all([
      visit.read(alertIntegrationsList, { id, page: visit.number }),
      visit.may(alertIntegrationsTest, { id, integration_id: 0 }),
      visit.may(alertIntegrationsCreate, { id }),
    ])
    const create = addressOfPage(visit, 'project', 'alert_management_integrations/new')
    return {
      title: 'Integrations',
      crumbs: [['Alerts', at(visit)]],
      actions: mayCreate && (
        <a class="button primary" href={create}>
          New alert integration
        </a>
      ),
      body: (
        <div>
          {found.items.length === 0 && (
            <Empty title="No alert integrations yet.">
              <p>A monitoring tool sends alerts to the address of an integration, with its key.</p>
            </Empty>
          )}
          {found.items.map((integration) => (
            <One visit={visit} integration={integration} mayTest={mayTest} />
          ))}
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})
