/** The grammars of highlight.js by the endings of file names. */
const byEnding: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    bash: 'sh bash zsh ksh',
    c: 'c h',
    clojure: 'clj cljs edn',
    cmake: 'cmake',
    coffeescript: 'coffee',
    cpp: 'cpp cc cxx hpp hh hxx',
    crystal: 'cr',
    csharp: 'cs',
    css: 'css',
    dart: 'dart',
    diff: 'diff patch',
    dockerfile: 'dockerfile containerfile',
    dos: 'bat cmd',
    elixir: 'ex exs',
    elm: 'elm',
    erlang: 'erl hrl',
    fsharp: 'fs fsx',
    go: 'go',
    gradle: 'gradle',
    graphql: 'graphql gql',
    groovy: 'groovy jenkinsfile',
    haskell: 'hs',
    ini: 'ini toml cfg conf editorconfig gitconfig gitmodules',
    java: 'java',
    javascript: 'js mjs cjs jsx',
    json: 'json jsonc webmanifest',
    julia: 'jl',
    kotlin: 'kt kts',
    latex: 'tex sty',
    less: 'less',
    lua: 'lua',
    makefile: 'mk makefile gnumakefile',
    markdown: 'md markdown',
    nim: 'nim',
    nix: 'nix',
    objectivec: 'm mm',
    ocaml: 'ml mli',
    perl: 'pl pm',
    php: 'php',
    powershell: 'ps1 psm1',
    properties: 'properties',
    protobuf: 'proto',
    python: 'py pyi pyw',
    r: 'r',
    ruby: 'rb gemspec rake gemfile rakefile',
    rust: 'rs',
    scala: 'scala sbt',
    scss: 'scss sass',
    sql: 'sql',
    swift: 'swift',
    typescript: 'ts tsx mts cts',
    vim: 'vim vimrc',
    xml: 'xml html htm xhtml svg vue svelte xsl plist csproj',
    yaml: 'yml yaml',
  }).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language])),
)

const interpreters = [
  [/\b(ba|z|k|da)?sh\b/, 'bash'],
  [/python/, 'python'],
  [/\bnode\b/, 'javascript'],
  [/ruby/, 'ruby'],
  [/perl/, 'perl'],
  [/php/, 'php'],
] as const

/** The grammar of a file: by its name, or by the interpreter that its first line names. Null for plain text. */
export function languageOf(path: string, text = ''): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const ending = name.slice(name.lastIndexOf('.') + 1)
  if (Object.hasOwn(byEnding, ending)) return byEnding[ending] as string
  if (!text.startsWith('#!')) return null
  const first = text.slice(0, 200).split('\n', 1)[0] ?? ''
  return interpreters.find(([pattern]) => pattern.test(first))?.[1] ?? null
}
