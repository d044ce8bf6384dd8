/**
 * `npm run guides [WORD …]`: tries the commands, programs and files of the guides, as readers have them, with the published package and
 * the tools that the guides name. Words select trials by parts of their names. Tools that are missing are installed where that is
 * possible; else their trials are skipped. `--keep` takes the package that the run before has made.
 *
 * `npm run guides surfaces`: compares all that python-gitlab, gitbeaker and client-go can send with what the server has.
 *
 * `npm run guides newcomer`: the first steps of a new user, from a fresh clone on.
 *
 * The last line is `N passed, N failed, N skipped`.
 */
import { surfaces } from '../clients/surfaces/attempts.ts'
import { attempt } from './attempt.ts'
import { attemptOf, nameOf, stopCluster } from './attempts.ts'
import { newcomer } from './newcomer.ts'
import { arePrepared, preparePackages } from './reader.ts'
import { trials } from './trials.ts'

const parameters = process.argv.slice(2)
const words = parameters.filter((word) => word !== '--keep')
const isChosen = (name: string) => words.length === 0 || words.some((word) => name.includes(word))

async function tryGuides(): Promise<boolean> {
  const chosen = trials.filter((trial) => isChosen(nameOf(trial)))
  const isMade = chosen.length === 0 || (parameters.includes('--keep') && arePrepared())
  const making = isMade ? [] : [{ name: 'the package', run: preparePackages }]
  try {
    return await attempt([...making, ...chosen.map(attemptOf), ...surfaces.filter(({ name }) => isChosen(name))])
  } finally {
    await stopCluster()
  }
}

process.exitCode = (words[0] === 'newcomer' ? await attempt(await newcomer()) : await tryGuides()) ? 0 : 1
