//! `windlass git-sim`: a pretend forge for demos, rehearsals and tests.

use super::{ClockArgs, pretend};
use crate::failure::CliFailure;
use crate::output;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use windlass_clock::Clock;
use windlass_git_sim::{Changes, Fault, GitSim, Hook, NewCommit, Options, Person, RepoError, RepoName, Right, Token};
use windlass_yaml::{NumberStyle, parse_one};

/// Git over smart HTTP with tokens, webhooks and the part of GitHub's REST API that delivery tools use.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Clone with `git clone http://x:TOKEN@ADDR/ORG/REPO.git`. The REST API is below /api/v3.\nRights are read, \
                        write and admin; only admin pushes to protected branches."
)]
pub(crate) struct Args {
    /// Where to listen. Plain HTTP, so this machine only.
    #[arg(long, default_value = "127.0.0.1:3000", value_name = "ADDR")]
    listen: SocketAddr,
    /// The folder of bare repositories, ORG/REPO.git. Default: one that ends with the process.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// A repository to make when it is not there; with FOLDER, its files are the first commit on `main`. Repeatable.
    #[arg(long, value_name = "ORG/REPO[=FOLDER]")]
    repository: Vec<String>,
    /// A token: everywhere or on an organisation or repository, with the right `write` or the one given. Repeatable;
    /// rights of one secret add up.
    #[arg(long, value_name = "NAME[@ORG[/REPO]][:RIGHT]=TOKEN")]
    token: Vec<String>,
    /// A branch that only admins push to. Repeatable.
    #[arg(long, value_name = "ORG/REPO=BRANCH")]
    protect: Vec<String>,
    /// Where push and pull request events are sent. Repeatable.
    #[arg(long, value_name = "URL")]
    webhook: Vec<String>,
    /// Signs the events.
    #[arg(long, env = "GIT_SIM_WEBHOOK_SECRET", hide_env_values = true, value_name = "SECRET")]
    webhook_secret: Option<String>,
    /// What goes wrong: a list of rules.
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    #[command(flatten)]
    clock: ClockArgs,
}

pub(crate) async fn run(args: Args) -> Result<ExitCode, CliFailure> {
    super::log_to_stderr();
    pretend::check_loopback(args.listen)?;
    let clock = args.clock.clock()?;
    let tokens = tokens(&args.token)?;
    let faults = args.faults.as_deref().map(faults).transpose()?.unwrap_or_default();
    // Dropped, and thereby removed, when the command ends.
    let scratch = match &args.data {
        Some(_) => None,
        None => Some(tempfile::tempdir().map_err(|e| CliFailure::failed(format!("cannot make a folder: {e}")))?),
    };
    let folder = match (&args.data, &scratch) {
        (Some(data), _) => data.as_path(),
        (None, Some(scratch)) => scratch.path(),
        (None, None) => Path::new("."),
    };
    let sim = GitSim::open(folder, Options::new(clock)).map_err(failed)?;
    for text in &args.repository {
        furnish(&sim, text, clock).await?;
    }
    for text in &args.protect {
        let (repo, branch) = pretend::pair("--protect", text, "ORG/REPO=BRANCH")?;
        sim.protect_branch(&name(repo)?, branch).map_err(failed)?;
    }
    for token in tokens {
        sim.add_token(token);
    }
    sim.set_faults(faults);
    for url in &args.webhook {
        sim.add_hook(Hook { secret: args.webhook_secret.clone(), ..Hook::new(url, "") });
    }
    let stop = super::until_asked_to_stop()?;
    let (listener, address) = pretend::listen(args.listen).await?;
    let repositories: Vec<String> = sim.repo_names().iter().map(ToString::to_string).collect();
    output::line(format!("git-sim serves http://{address}, repositories {}", or_none(&repositories)));
    pretend::serve(stop, sim.serve(listener)).await?;
    Ok(ExitCode::SUCCESS)
}

fn or_none(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(" ") }
}

fn failed(error: RepoError) -> CliFailure {
    CliFailure::failed(pretend::chain(&error))
}

fn name(text: &str) -> Result<RepoName, CliFailure> {
    text.parse().map_err(|e: windlass_git_sim::NameError| CliFailure::usage(e.to_string()))
}

/// Makes a repository that is not there, and fills it when it is empty.
async fn furnish(sim: &GitSim, text: &str, clock: Clock) -> Result<(), CliFailure> {
    let (repo, folder) = text.split_once('=').map_or((text, None), |(repo, folder)| (repo, Some(folder)));
    let repo = name(repo)?;
    let handle = match sim.repo(&repo) {
        Ok(known) => known,
        Err(_) => sim.create_repo(&repo).await.map_err(failed)?,
    };
    let Some(folder) = folder.map(Path::new) else { return Ok(()) };
    if !folder.is_dir() {
        return Err(CliFailure::usage(format!("--repository {repo}: {} is not a folder", folder.display())));
    }
    if !handle.branches().await.map_err(failed)?.is_empty() {
        return Ok(());
    }
    let commit = NewCommit {
        branch: "main".to_owned(),
        changes: Changes::default().folder(folder).map_err(failed)?,
        message: format!("The first state of {repo}"),
        author: Person::new("git-sim", "git-sim@localhost"),
        when: clock.now(),
    };
    handle.commit(&commit).await.map_err(failed)?;
    Ok(())
}

fn faults(path: &Path) -> Result<Vec<Fault>, CliFailure> {
    let document = parse_one(path.display().to_string(), &super::read_text(path)?, &windlass_yaml::Options::OBJECTS)
        .map_err(|problems| CliFailure::usage(format!("{} cannot be used", path.display())).problems(problems))?;
    serde_json::from_value(document.root.to_json(NumberStyle::Typed)).map_err(|error| {
        CliFailure::usage(format!("{} is no list of faults: {error}", path.display()))
            .hint("a rule holds door (fetch, push, api), repo, after, times, latencyMillis, answer")
    })
}

/// One token for each secret, with all its rights.
fn tokens(given: &[String]) -> Result<Vec<Token>, CliFailure> {
    let shape = "NAME[@ORG[/REPO]][:read|:write|:admin]=TOKEN";
    let mut tokens: Vec<(&str, &str, Token)> = Vec::new();
    for text in given {
        let (left, secret) = pretend::pair("--token", text, shape)?;
        let wrong =
            |why: String| CliFailure::usage(format!("--token {left}=…: {why}")).hint(format!("write --token {shape}"));
        let (left, right) = match left.rsplit_once(':') {
            None => (left, Right::Write),
            Some((left, "read")) => (left, Right::Read),
            Some((left, "write")) => (left, Right::Write),
            Some((left, "admin")) => (left, Right::Admin),
            Some((_, other)) => return Err(wrong(format!("`{other}` is not a right"))),
        };
        let (user, reach) = left.split_once('@').map_or((left, None), |(user, reach)| (user, Some(reach)));
        let at = match tokens.iter().position(|(_, known, _)| *known == secret) {
            Some(at) if tokens[at].0 == user => at,
            Some(at) => return Err(wrong(format!("{} has the same token", tokens[at].0))),
            None => {
                tokens.push((user, secret, Token::new(user, secret)));
                tokens.len() - 1
            }
        };
        let token = tokens[at].2.clone();
        tokens[at].2 = match reach {
            None => token.everywhere(right),
            Some(repo) if repo.contains('/') => token.on_repo(name(repo)?, right),
            Some("") => return Err(wrong("no organisation after the @".to_owned())),
            Some(org) => token.on_org(org, right),
        };
    }
    Ok(tokens.into_iter().map(|(.., token)| token).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_rights_where_they_say() {
        let given = ["bot@company:read=s-1", "bot@company/app=s-1", "root:admin=s-2"].map(str::to_owned);
        let tokens = tokens(&given).unwrap();
        assert_eq!(tokens.len(), 2);
        let right = |token: &Token, repo: &str| token.right_on(&repo.parse().unwrap());
        assert_eq!(right(&tokens[0], "company/app"), Some(Right::Write));
        assert_eq!(right(&tokens[0], "company/other"), Some(Right::Read));
        assert_eq!(right(&tokens[0], "elsewhere/app"), None);
        assert_eq!(right(&tokens[1], "elsewhere/app"), Some(Right::Admin));
    }

    #[test]
    fn what_is_wrong_with_a_token_is_said_without_the_token() {
        for given in ["bot", "bot=", "bot:owner=s3cret", "bot@=s3cret"] {
            let failure = format!("{:?}", tokens(&[given.to_owned()]).unwrap_err());
            assert!(failure.contains("NAME[@ORG") && !failure.contains("s3cret"), "{failure}");
        }
        let two = ["a=s3cret", "b=s3cret"].map(str::to_owned);
        assert!(format!("{:?}", tokens(&two).unwrap_err()).contains("a has the same token"));
    }
}
