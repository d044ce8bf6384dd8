import { type Block, blocksOf } from './blocks.ts'
import type { Step, Trial } from './trial.ts'

/** The beginning of a script: an answer that is an error ends it, and all that was started in the background ends with it. */
export const prologue = `set -euo pipefail
curl() { command curl --fail-with-body --silent --show-error "$@"; }
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
`

/**
 * The script of a trial: its steps one after another, in one shell, so that variables and the folder stay.
 * @param ports the values of the variables of its ports
 * @throws Error when the guide has no such block, or lacks what the trial replaces
 */
export function scriptOf(trial: Trial, ports: Readonly<Record<string, string>>): string {
  const blocks = blocksOf(trial.document)
  const used = trial.steps.flatMap((step) => ('sh' in step ? [] : [blockOf(step, blocks, trial)]))
  for (const text of Object.keys(trial.instead ?? {})) {
    if (!used.some((block) => block.text.includes(text))) throw new Error(`${trial.document} does not have ${text}`)
  }
  return prologue + trial.steps.map((step) => commandsOf(step, blocks, trial, ports)).join('\n')
}

function blockOf(step: Exclude<Step, { sh: string }>, blocks: readonly Block[], { document }: Trial): Block {
  const found = blocks.find(({ of, block }) => of === step.of && block === step.block)
  if (!found) throw new Error(`${document} has no block ${step.block} below "${step.of}"`)
  return found
}

function commandsOf(
  step: Step,
  blocks: readonly Block[],
  trial: Trial,
  ports: Readonly<Record<string, string>>,
): string {
  if ('sh' in step) return step.sh
  const text = asHere(blockOf(step, blocks, trial).text, trial, ports)
  if (step.file === undefined) return text
  const [before, after] = step.around ?? ['', '']
  const content = withPorts(before, ports) + text + withPorts(after, ports)
  return `mkdir -p "$(dirname "${step.file}")"\ncat > "${step.file}" <<'END_OF_FILE'\n${content}\nEND_OF_FILE`
}

function asHere(text: string, { instead = {} }: Trial, ports: Readonly<Record<string, string>>): string {
  const all = { '127.0.0.1:8080': '127.0.0.1:$SERVER_PORT', '127.0.0.1:8099': '127.0.0.1:$SERVER_PORT', ...instead }
  let here = text
  for (const [there, own] of Object.entries(all)) here = here.replaceAll(there, () => withPorts(own, ports))
  return here
}

/** The text with the numbers of ports in place of their variables. */
export function withPorts(text: string, ports: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(\w+_PORT)\b/g, (all, name) => ports[name] ?? all)
}
