/** `npm run campaign [rounds] [seed]`: the long form of `crash-campaign.test.ts`. `FENNEC_DATABASE_URL` chooses the engine. */
import { temporaryDirectory } from '../../src/testing/index.ts'
import { runCampaign } from './campaign.ts'

const [rounds = '200', seed = '1'] = process.argv.slice(2)
await using folder = await temporaryDirectory()
const tell = (line: string) => process.stdout.write(`${line}\n`)
const databaseUrl = process.env.FENNEC_DATABASE_URL
const problems = await runCampaign({
  rounds: Number(rounds),
  seed: Number(seed),
  folder: folder.path,
  databaseUrl,
  tell,
})
for (const problem of problems) tell(problem)
tell(problems.length === 0 ? 'Nothing that was acknowledged is lost.' : `${problems.length} problems.`)
process.exitCode = problems.length === 0 ? 0 : 1
