const escapeCode = '\u001b'
const [red, green, yellow, cyan] = [31, 32, 33, 36].map(
  (code) => (text: string) => `${escapeCode}[${code};1m${text}${escapeCode}[0;m`,
) as [Paint, Paint, Paint, Paint]
type Paint = (text: string) => string

type Circumstances = {
  job: { id: number; job_info: { name: string; project_full_path: string }; git_info: { sha: string } }
  isFailed: boolean
  seconds: number
  now: Date
}

const painted = (line: string) => {
  const [mark, text] = [line.slice(0, 2), line.slice(2)]
  if (mark === '$ ') return green(line)
  if (mark === '+ ') return `${green('✓')} ${text}`
  if (mark === '! ') return red(text)
  if (mark === '~ ') return yellow(text)
  return line
}

/**
 * The log of a job as a runner writes it: with colours, and with sections that can be folded.
 * @param script lines as in `JobPlan.log`
 */
export function logOf(script: string, { job, isFailed, seconds, now }: Circumstances): string {
  const startSeconds = Math.floor(now.getTime() / 1000)
  const lines = script.trim().split('\n')
  const at = (index: number) => startSeconds + Math.floor((index / lines.length) * seconds)
  const mark = (edge: 'start' | 'end', index: number, name: string) =>
    `section_${edge}:${at(index)}:${name}\r${escapeCode}[0K`
  const written = [`Running with gitlab-runner 17.7.0`, `  on harbour-runner-1, system ID: s_demo`]
  let open: string | undefined
  for (const [index, line] of lines.entries()) {
    const [, name, title = ''] = /^# (\w+) (.*)$/.exec(line) ?? []
    if (name === undefined) {
      written.push(painted(line.replaceAll('{sha}', job.git_info.sha.slice(0, 8))))
      continue
    }
    if (open !== undefined) written.push(mark('end', index, open))
    open = name
    written.push(`${mark('start', index, name)}${cyan(title)}`)
  }
  if (open !== undefined) written.push(mark('end', lines.length, open))
  written.push(isFailed ? red('ERROR: Job failed: exit code 1') : green('Job succeeded'), '')
  return written.join('\n')
}
