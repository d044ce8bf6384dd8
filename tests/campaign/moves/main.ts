/**
 * `npm run campaign:moves [projects] [rounds] [seed] [nodes]`: the long form of `move-campaign.test.ts`. `FENNEC_DATABASE_URL`
 * chooses the engine.
 */
import { temporaryDirectory } from '../../../src/testing/index.ts'
import { runMoveCampaign } from './campaign.ts'

const [projects = '100', rounds = '20', seed = '1', nodes = '1'] = process.argv.slice(2)
await using folder = await temporaryDirectory()
const tell = (line: string) => process.stdout.write(`${line}\n`)
const problems = await runMoveCampaign({
  projects: Number(projects),
  rounds: Number(rounds),
  seed: Number(seed),
  nodes: Number(nodes),
  clients: 3,
  folder: folder.path,
  databaseUrl: process.env.FENNEC_DATABASE_URL,
  tell,
})
for (const problem of problems) tell(problem)
tell(problems.length === 0 ? 'Nothing that was acknowledged is lost.' : `${problems.length} problems.`)
process.exitCode = problems.length === 0 ? 0 : 1
