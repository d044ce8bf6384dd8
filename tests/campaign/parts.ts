import { type Part, part } from './part.ts'

/** The parts of `npm run campaign`. Each is a file with `runCampaign`. */
export const parts: Readonly<Record<string, Part>> = {
  kill: part(
    'kills the server in the midst of work in all domains',
    200,
    { changes: 30, life: 3000 },
    () => import('./kill/campaign.ts'),
  ),
  nodes: part(
    'kills some of several servers on one PostgreSQL, and compares what all others show',
    100,
    { nodes: 3, life: 2500 },
    () => import('./nodes/campaign.ts'),
  ),
  images: part(
    'kills it beside pushes of images and garbage collection',
    20,
    { clients: 50, life: 20_000 },
    () => import('./images/campaign.ts'),
  ),
  moves: part(
    'kills it while repositories move between storages',
    20,
    { projects: 100, nodes: 1, clients: 3 },
    () => import('./moves/campaign.ts'),
  ),
  spawner: part('kills git and the process that owns it', 50, { deaths: 6 }, () => import('./spawner/campaign.ts')),
  database: part(
    'takes the database away and gives it back',
    50,
    { fault: 5000 },
    () => import('./database/campaign.ts'),
  ),
  disk: part(
    'takes the room of the disk away, or the right to write',
    50,
    { megabytes: 300, fault: 1500 },
    () => import('./disk/campaign.ts'),
  ),
  bombs: part(
    'pushes small packs with huge objects beside ordinary work',
    20,
    { seconds: 5 },
    () => import('./bombs/campaign.ts'),
  ),
  clock: part('lets the clock leap ahead and back', 50, { days: 366 }, () => import('./clock/campaign.ts')),
  tree: part(
    'deletes a tree of groups while it kills the server',
    1,
    { projects: 1000, kills: 30, life: 4000 },
    () => import('./tree/campaign.ts'),
  ),
  backups: part('backs up under load and restores', 10, { projects: 20 }, () => import('./backups/campaign.ts')),
}
