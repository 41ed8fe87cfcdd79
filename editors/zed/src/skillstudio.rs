//! Starts skillstudio's language server in Zed.

use zed_extension_api::{
    self as zed, settings::LspSettings, Command, LanguageServerId, Result, Worktree,
};

const PACKAGE: &str = "skillstudio[lsp]";

struct SkillstudioExtension;

impl zed::Extension for SkillstudioExtension {
    fn new() -> Self {
        Self
    }

    /// The program of the settings (`lsp.skillstudio.binary`), else the one on the PATH of the
    /// project's shell, else uvx.
    fn language_server_command(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let settings = LspSettings::for_worktree(id.as_ref(), worktree)?.binary;
        let (path, arguments, variables) = match settings {
            Some(binary) => (binary.path, binary.arguments, binary.env),
            None => (None, None, None),
        };
        let mut env = worktree.shell_env();
        env.extend(variables.unwrap_or_default());
        let server = || vec!["lsp".to_string()];
        if let Some(command) = path.or_else(|| worktree.which("skillstudio")) {
            let args = arguments.unwrap_or_else(server);
            return Ok(Command { command, args, env });
        }
        let command = worktree
            .which("uvx")
            .ok_or_else(|| format!("install {PACKAGE} or uv"))?;
        let mut args = vec!["--from".to_string(), PACKAGE.to_string()];
        args.push("skillstudio".to_string());
        args.extend(arguments.unwrap_or_else(server));
        Ok(Command { command, args, env })
    }
}

zed::register_extension!(SkillstudioExtension);
