import { featureFlagClientsGet, featureFlagClientsReset } from '../../operations.ts'
import { page } from '../../page.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Do } from '../../parts/form.tsx'
import { Copy, CopyBlock, Time } from '../../parts/parts.tsx'
import { at } from './places.ts'

/** An application of Node.js that reads flags. JSON texts are texts of JavaScript. */
const exampleOf = (url: string, instanceId: string) => `import { initialize } from 'unleash-client'

const unleash = initialize({
  url: ${JSON.stringify(url)},
  instanceId: ${JSON.stringify(instanceId)},
  appName: 'production',
})
unleash.on('synchronized', () => console.log(unleash.isEnabled('my-flag', { userId: '1' })))
`

/** What an application is configured with to read the flags of the project. */
export const client = page({
  at: 'project',
  path: 'feature_flags/client',
  performs: [featureFlagClientsReset],
  async show(visit) {
    const { id } = visit.project
    const [found, mayReset] = await Promise.all([
      visit.read(featureFlagClientsGet, { id }),
      visit.may(featureFlagClientsReset, { id }),
    ])
    const { api_url: url, instance_id: instanceId, last_used_at: last } = found
    return {
      title: 'Connect an application',
      crumbs: [['Feature flags', at(visit)]],
      body: (
        <div class="derived">
          <p>Any Unleash client reads the flags. Its application name is the name of the environment.</p>
          <Copy text={url} label="Address of the API" />
          <Copy text={instanceId} label="Instance id" />
          <p class="soft">{last ? ['Last used ', <Time at={last} />] : 'Not used yet'}</p>
          <CopyBlock text={exampleOf(url, instanceId)} label="Example for Node.js" />
          {mayReset && (
            <Confirm label="Replace the instance id" question="Applications with the former one are refused at once.">
              <Do visit={visit} performs={featureFlagClientsReset} call={{ id }} kind="danger">
                Replace it
              </Do>
            </Confirm>
          )}
        </div>
      ),
    }
  },
})
