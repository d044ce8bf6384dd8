import { type Part, part } from './part.ts'

/** The parts of `npm run campaign`. Each is a file with `runCampaign`. */
export const parts: Readonly<Record<string, Part>> = {
  kill: part(
    'kills the server in the midst of work in all domains',
    200,
    { changes: 30, life: 3000 },
    () => import('./kill/campaign.ts'),
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
  backups: part('backs up under load and restores', 10, { projects: 20 }, () => import('./backups/campaign.ts')),
}
