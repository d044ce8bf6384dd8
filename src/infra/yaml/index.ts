/** Parses untrusted YAML, and writes YAML. */
export { parseYaml, toYaml, YamlError } from './parse.ts'
