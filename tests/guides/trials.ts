import type { Trial, Untried } from './trial.ts'
import { alerts } from './trials/alerts.ts'
import { clients } from './trials/clients.ts'
import { firstHour } from './trials/first-hour.ts'
import { images } from './trials/images.ts'
import { operating } from './trials/operating.ts'
import { packages } from './trials/packages.ts'
import { proxies } from './trials/proxies.ts'
import { runners } from './trials/runners.ts'
import { testing } from './trials/testing.ts'

/** What `npm run guides` tries, in this order. */
export const trials: readonly Trial[] = [
  ...firstHour,
  ...clients,
  ...images,
  ...packages,
  ...runners,
  ...testing,
  ...alerts,
  ...operating,
  ...proxies,
]

const newcomer = '`npm run guides newcomer` runs it'
const deploying = '`tests/deploying.test.ts` reads the files that it names'

const importing = '`tests/import.test.ts` runs the command between two servers'
const replicas =
  '`tests/promotion-with-replica.test.ts` promotes a replica; it copies the data folder, for want of `pg_basebackup`'
const generic = '`src/modules/packages/generic/generic.test.ts` sends the same requests'
const maven = '`src/modules/packages/maven/maven.test.ts` sends what `mvn deploy` sends'

/** The blocks that no trial uses, and why. */
export const untried: readonly Untried[] = [
  { document: 'docs/guides/first-hour.md', of: 'Start', block: 1, because: newcomer },
  { document: 'docs/guides/demo.md', of: 'A server with something in it', block: 1, because: newcomer },
  {
    document: 'docs/guides/testing.md',
    of: 'Install',
    block: 1,
    because: newcomer,
  },
  { document: 'docs/guides/testing.md', of: 'GitHub Actions', block: 1, because: 'only GitHub runs it' },
  { document: 'docs/guides/testing.md', of: '.gitlab-ci.yml', block: 1, because: 'needs a runner with containers' },
  {
    document: 'docs/guides/runner.md',
    of: 'gitlab-runner',
    block: 2,
    because: 'needs a Docker engine and a network of its own',
  },
  {
    document: 'docs/guides/images.md',
    of: 'Plain HTTP',
    block: 1,
    because: 'changes the Docker engine of the machine',
  },
  {
    document: 'docs/guides/alerts.md',
    of: 'Grafana',
    block: 1,
    because: 'no package of those that the trials install has Grafana',
  },
  { document: 'docs/guides/s3.md', of: 'S3', block: 1, because: "needs a bucket of Amazon's" },
  {
    document: 'docs/guides/deploying.md',
    of: 'The image',
    block: 1,
    because: '`deploy/try-image.sh` does it with buildah',
  },
  { document: 'docs/guides/deploying.md', of: 'Compose', block: 1, because: deploying },
  { document: 'docs/guides/deploying.md', of: 'Compose', block: 2, because: deploying },
  { document: 'docs/guides/deploying.md', of: 'systemd', block: 1, because: deploying },
  { document: 'docs/guides/deploying.md', of: 'Kubernetes', block: 1, because: deploying },
  {
    document: 'docs/guides/failover.md',
    of: 'When the primary is lost',
    block: 1,
    because: '`tests/promotion.test.ts` runs it on both databases',
  },
  { document: 'docs/guides/failover.md', of: 'A replica of PostgreSQL', block: 1, because: replicas },
  { document: 'docs/guides/failover.md', of: 'A replica of PostgreSQL', block: 2, because: replicas },
  { document: 'docs/guides/moving-in.md', of: 'Moving in', block: 1, because: importing },
  { document: 'docs/guides/moving-in.md', of: 'Stopping and going on', block: 1, because: importing },
  { document: 'docs/guides/packages.md', of: 'Generic packages', block: 1, because: generic },
  {
    document: 'docs/guides/packages.md',
    of: 'From a pipeline',
    block: 2,
    because: '`tests/packages-pipeline.test.ts` lists a project and runs its job',
  },
  { document: 'docs/guides/packages.md', of: 'Maven', block: 1, because: maven },
  { document: 'docs/guides/packages.md', of: 'Maven', block: 2, because: maven },
  { document: 'docs/guides/packages.md', of: 'Maven', block: 3, because: maven },
]
